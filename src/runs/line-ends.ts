// Everything that some reader takes for the end of a line (RUN-7). Only a line feed ends one in a record file (RUN-12).

/** CR LF, LF, CR, VT, FF, NEL, LINE SEPARATOR, PARAGRAPH SEPARATOR. For `replace`; never for `test`, it is global. */
export const LINE_ENDS: RegExp = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

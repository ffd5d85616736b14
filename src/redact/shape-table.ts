// Token shapes by provider, as data (MASK-26). How a shape is looked for is in shapes.ts.

/**
 * A token that is recognised wherever it stands. `hint` is a literal of it; `pattern` is tried at the hint's start, or
 * `back` units before it. Patterns end in a repeat to the end of their alphabet, so nothing of a longer value is left,
 * and no repeat can give back what the next one takes (MASK-60).
 */
export interface Shape {
  readonly hint: string | readonly string[];
  readonly pattern: RegExp;
  /** Units of the token before the hint: a number, or as many as there are of a class, up to a bound. */
  readonly back?: number | { readonly of: RegExp; readonly most: number };
  /** True for a token. May only become false by taking units away, so that a refused run is not looked at again. */
  readonly check?: (token: string) => boolean;
  /** `_` and `-` before the token are a border for this shape. */
  readonly looseBorder?: 'loose';
  /** Text before the token that stays though the pattern matches it. */
  readonly keep?: RegExp;
  /** What must stand on the line, at most 48 units before. */
  readonly context?: RegExp;
}

const hasDigit = (token: string): boolean => /\d/.test(token.slice(0, 256));
const hasDigitAfter =
  (prefix: number) =>
  (token: string): boolean =>
    hasDigit(token.slice(prefix));
const isMixed = (token: string): boolean => hasDigit(token) && /[a-z]/.test(token) && /[A-Z]/.test(token);
const hasMixedRun = (token: string): boolean =>
  (token.slice(0, 512).match(/[A-Za-z0-9]{20,}/g) ?? []).some((run) => /\d/.test(run) && /[A-Za-z]/.test(run));

/** Hints need three units: where a shape has no three fixed ones, all that can stand there. */
function digits<T>(hint: (digit: number) => T): T[] {
  return [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(hint);
}

export const SHAPES: readonly Shape[] = [
  // Code hosts
  { hint: 'ghs_', pattern: /ghs_\d{1,20}_eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/y },
  { hint: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], pattern: /gh[pousr]_[A-Za-z0-9]{30,}/y },
  { hint: 'github_pat_', pattern: /github_pat_\w{22,}/y },
  {
    hint: [
      'glpat-',
      'gldt-',
      'glrt-',
      'glptt-',
      'gloas-',
      'glsoat-',
      'glft-',
      'glagent-',
      'glimt-',
      'glcbt-',
      'glffct-',
    ],
    pattern: /gl(?:pat|dt|rt|ptt|oas|soat|ft|agent|imt|cbt|ffct)-[\w.-]{15,}/y,
  },
  { hint: 'GR1348941', pattern: /GR1348941[\w-]{20,}/y },
  { hint: 'ATBB', pattern: /ATBB[A-Za-z0-9_=-]{20,}/y },
  // Models
  { hint: 'sk-', pattern: /sk-(?:proj|svcacct|admin|or-v1)-[\w-]{20,}/y },
  { hint: 'sk-ant-', pattern: /sk-ant-[a-z]{1,16}\d\d-[\w-]{20,}/y },
  { hint: 'sk-', pattern: /sk-[\w-]{20,}/y, check: hasMixedRun },
  { hint: 'gsk_', pattern: /gsk_[A-Za-z0-9]{20,}/y },
  { hint: 'xai-', pattern: /xai-[A-Za-z0-9]{40,}/y },
  { hint: ['hf_', 'api_org_'], pattern: /(?:hf|api_org)_[A-Za-z]{34}(?!\w)/y },
  { hint: 'pplx-', pattern: /pplx-[A-Za-z0-9]{40,}/y },
  { hint: ['fw_', 'fpk_'], pattern: /(?:fw|fpk)_[A-Za-z0-9]{24,}/y },
  { hint: 'r8_', pattern: /r8_[A-Za-z0-9]{30,}/y },
  { hint: 'co_', pattern: /co_[A-Za-z0-9]{30,}/y },
  // Clouds
  {
    hint: ['AKIA', 'ASIA', 'ABIA', 'ACCA', 'AIDA', 'AROA', 'A3T'],
    pattern: /(?:A(?:KIA|SIA|BIA|CCA|IDA|ROA)|A3T[A-Z0-9])[A-Z0-9]{16,}/y,
    check: hasDigitAfter(4),
  },
  { hint: 'ABSK', pattern: /ABSK[A-Za-z0-9+/]{100,}={0,2}/y },
  { hint: 'bedrock-api-key-', pattern: /bedrock-api-key-[A-Za-z0-9+/]{20,}={0,2}/y },
  { hint: 'AIza', pattern: /AIza[\w-]{33,}/y },
  { hint: 'ya29.', pattern: /ya29\.[\w-]{20,}/y },
  { hint: 'GOCSPX-', pattern: /GOCSPX-[\w-]{20,}/y },
  { hint: '1//0', pattern: /1\/\/0[\w-]{40,}/y },
  { hint: digits((d) => `${d}q~`), back: 3, looseBorder: 'loose', pattern: /[\w~.-]{3}\dQ~[\w~.-]{31,}/y },
  { hint: 'dop_v1_', pattern: /dop_v1_[0-9a-f]{40,}/iy },
  { hint: ['doo_v1_', 'dor_v1_'], pattern: /do[or]_v1_[0-9a-f]{40,}/iy },
  { hint: ['fo1_', 'fm1a_', 'fm1r_', 'fm2_'], pattern: /f(?:o1|m1a|m1r|m2)_[\w+/-]{30,}={0,3}/y },
  { hint: 'dapi', pattern: /dapi[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])/iy },
  { hint: ['hvs.', 'hvb.', 'hvr.'], pattern: /hv[sbr]\.[\w-]{20,}/y },
  {
    hint: ['\n', '\t', ' ', '"', "'", '`', '=', ':', '(', '>', ','].map((border) => `${border}s.`),
    back: -1,
    pattern: /s\.[A-Za-z0-9]{24}(?![A-Za-z0-9_.(-])/y,
    check: isMixed,
  },
  { hint: '.atlasv1.', back: { of: /[A-Za-z0-9]/, most: 64 }, pattern: /[A-Za-z0-9]{1,64}\.atlasv1\.[\w=-]{60,}/y },
  { hint: 'pul-', pattern: /pul-[0-9a-f]{40,}/y },
  { hint: 'pnu_', pattern: /pnu_[A-Za-z0-9]{36,}/y },
  { hint: 'tk-us-', pattern: /tk-us-[\w-]{40,}/y },
  { hint: '4b1d', pattern: /4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])/y, check: (token) => isMixed(token.slice(4)) },
  { hint: 'v1.0-', pattern: /v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}/iy },
  { hint: ['cfat_', 'cfut_', 'cfk_'], pattern: /cf(?:at|ut|k)_[A-Za-z0-9]{40,}/y },
  { hint: ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], pattern: /vc[piark]_[A-Za-z0-9]{24,}/y },
  { hint: 'HRKU-', pattern: /HRKU-[\w-]{40,}/y },
  {
    hint: 'tskey-',
    looseBorder: 'loose',
    pattern: /tskey-[a-z]{1,32}-[A-Za-z0-9]{10,}-[A-Za-z0-9]{20,}/y,
  },
  { hint: 'LTAI', pattern: /LTAI[A-Za-z0-9]{20}(?![A-Za-z0-9])/y, check: hasDigit },
  { hint: 'AKCp', pattern: /AKCp[A-Za-z0-9]{69,}/y },
  { hint: 'dp.', pattern: /dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{1,40}\.)?[A-Za-z0-9]{40,}/y },
  { hint: 'pscale_', pattern: /pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}/y },
  { hint: 'nfp_', pattern: /nfp_[A-Za-z0-9]{36,}/y },
  { hint: 'sbp_', pattern: /sbp_[0-9a-f]{40,}/y },
  { hint: 'sb_secret_', pattern: /sb_secret_[\w-]{20,}/y },
  // Chat and mail
  { hint: 'xox', pattern: /xox[abceoprs](?:\.xox[a-z])?-\d[A-Za-z0-9-]{10,}/y },
  { hint: 'xapp-', pattern: /xapp-\d-[A-Za-z0-9-]{10,}/y },
  {
    hint: 'hooks.slack.com/',
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/+-]{10,}/y,
    keep: /\//,
  },
  { hint: '/api/webhooks/', pattern: /\/api\/webhooks\/\d{5,30}\/[\w-]{20,}/y, keep: /\/api\/webhooks\// },
  { hint: '.webhook.office.com/', pattern: /\.webhook\.office\.com\/[\w@/-]{20,}/y, keep: /com\// },
  { hint: ':AA', back: { of: /\d/, most: 13 }, pattern: /\d{6,12}:AA[\w-]{30,}/y },
  { hint: 'SG.', pattern: /SG\.[\w-]{16,24}\.[\w-]{40,}/y },
  { hint: 'key-', pattern: /key-[0-9a-f]{32}(?![0-9A-Za-z])/iy },
  { hint: '-us', back: 32, pattern: /[0-9a-f]{32}-us\d{1,3}(?![0-9A-Za-z])/iy },
  { hint: 'xkeysib-', pattern: /xkeysib-[\w-]{60,}/y },
  // Payment and shops
  { hint: ['sk_', 'rk_'], pattern: /[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}/y },
  { hint: 'whsec_', pattern: /whsec_[A-Za-z0-9+/]{16,}={0,2}/y },
  { hint: ['sq0atp-', 'sq0csp-'], pattern: /sq0(?:atp|csp)-[\w-]{20,}/y },
  { hint: 'EAAA', pattern: /EAAA[\w-]{40,}/y, check: hasDigitAfter(4) },
  { hint: ['shpat_', 'shpca_', 'shppa_', 'shpss_'], pattern: /shp(?:at|ca|pa|ss)_[A-Za-z0-9]{32,}/y },
  { hint: 'shippo_', pattern: /shippo_(?:live|test)_[A-Za-z0-9]{40,}/y },
  { hint: 'duffel_', pattern: /duffel_(?:live|test)_[\w=-]{43,}/y },
  { hint: 'FLWSECK', pattern: /FLWSECK(?:_TEST)?-[A-Za-z0-9]{32,}(?:-X)?/y },
  // Packages
  { hint: 'npm_', pattern: /npm_[A-Za-z0-9]{36,}/y },
  { hint: 'pypi-', pattern: /pypi-[\w-]{50,}/y },
  { hint: 'rubygems_', pattern: /rubygems_[A-Za-z0-9]{40,}/y },
  { hint: 'CLOJARS_', pattern: /CLOJARS_[0-9a-z]{40,}/iy },
  { hint: ['dckr_pat_', 'dckr_oat_'], pattern: /dckr_[po]at_[\w-]{20,}/y },
  { hint: 'oy2', pattern: /oy2[a-z0-9]{43}(?![A-Za-z0-9])/y, check: hasDigitAfter(3) },
  // Observability and teams
  { hint: ['glsa_', 'glc_'], pattern: /gl(?:sa|c)_[\w+/-]{32,}={0,3}/y, check: hasDigitAfter(4) },
  { hint: ['sntrys_', 'sntryu_'], pattern: /sntry[su]_[\w+/-]{40,}={0,3}/y },
  { hint: 'NRAK-', pattern: /NRAK-[A-Za-z0-9]{20,}/y },
  { hint: ['NRJS-', 'NRII-', 'NRRA-'], pattern: /NR(?:JS|II|RA)-[A-Za-z0-9-]{19,}/y, check: hasDigitAfter(5) },
  { hint: ['sqp_', 'sqa_', 'squ_'], pattern: /sq[pau]_[A-Za-z0-9]{40,}/y },
  { hint: ['lin_api_', 'lin_oauth_'], pattern: /lin_(?:api|oauth)_[A-Za-z0-9]{32,}/y },
  { hint: 'ntn_', pattern: /ntn_\d{8}[A-Za-z0-9]{30,}/y, check: (token) => /[A-Za-z]/.test(token.slice(12)) },
  { hint: 'secret_', pattern: /secret_[A-Za-z0-9]{43,}/y },
  { hint: 'figd_', pattern: /figd_[\w-]{30,}/y },
  { hint: 'ico-', pattern: /ico-[A-Za-z0-9]{32}(?![A-Za-z0-9])/y, context: /(?:^|[^.])$/ },
  { hint: 'sgp_', pattern: /sgp_(?:(?:local|[0-9a-f]{16})_)?[0-9a-f]{40,}/iy },
  { hint: 'dt0c01.', pattern: /dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64,}/iy },
  { hint: 'PMAK-', pattern: /PMAK-[0-9a-f]{24}-[0-9a-f]{34,}/iy },
  { hint: 'CFPAT-', pattern: /CFPAT-[\w-]{40,}/y },
  { hint: 'tfp_', pattern: /tfp_[\w.=-]{40,}/y },
  { hint: 'rdme_', pattern: /rdme_[a-z0-9]{70,}/y },
  // Identity
  { hint: 'ops_eyJ', pattern: /ops_eyJ[\w+/-]{100,}={0,3}/y },
  { hint: 'A3-', pattern: /A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}/y, check: hasDigitAfter(2) },
  { hint: 'AGE-SECRET-KEY-1', pattern: /AGE-SECRET-KEY-1[A-Z0-9]{50,}/iy },
  { hint: 'sha256~', pattern: /sha256~[\w-]{40,}/y, check: (token) => isMixed(token.slice(7)) },
  { hint: 'ATATT3', pattern: /ATATT3[\w=-]{60,}/y },
  { hint: 'ATCTT3', pattern: /ATCTT3[\w=-]{20,}/y },
  { hint: 's-s4t2', pattern: /s-s4t2[a-z]{2}-[0-9a-f]{64,}/y },
  {
    hint: 'API-',
    pattern: /API-[A-Z0-9]{26}(?![\w-])/y,
    check: hasDigitAfter(4),
    context: /(?:key|token|octopus)[\w-]{0,16}["'\]]{0,2}\s{0,3}(?:[:=]{1,3}|=>)?\s{0,3}["'`]?$/i,
  },
  { hint: 'EAA', pattern: /EAA[A-Za-z0-9]{80,}/y, check: hasDigitAfter(3) },
  {
    hint: digits((d) => digits((e) => `${d}${e}|`)).flat(),
    back: { of: /\d/, most: 15 },
    pattern: /\d{15,16}\|[\w-]{27,}/y,
  },
  { hint: '_mmk', back: 36, pattern: /[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])/y },
  { hint: 'eyJ', pattern: /eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*(?:\.[\w-]{4,}){0,2}/y },
];

// The configuration: its shape, its table of settings, and how it is read from flags, environment and file.
export type { BackstoryConfig, ExcludeSetting, ReaderSetting, ResolvedConfig, RootSetting } from './config.ts';
export { type ConfigFile, findConfigFile, loadJsonConfig } from './file.ts';
export {
  DIMENSIONS,
  type Dimension,
  type Distiller,
  type MemoryConfig,
  type RecordingFailure,
  type ResolvedMemory,
  type Scope,
  type ScopeRequest,
  type WritesMode,
} from './memory.ts';
export { type SettingOrigin, settingOrigins, settingsBelow } from './origins.ts';
export type { PostgresSetting } from './postgres.ts';
export { loadModule } from './project.ts';
export { type ConfigLayers, readConfig } from './read.ts';
export { SETTINGS, type Setting } from './settings.ts';

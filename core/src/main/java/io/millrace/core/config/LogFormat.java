package io.millrace.core.config;

/** The form of log lines. */
public enum LogFormat {
  /** For people. */
  TEXT,
  /** One object per line, for programs that collect logs. */
  JSON
}

package io.millrace.core.config;

/** What a thread dump shows about locks. */
public enum ThreadDumpMode {
  /** The lock that a thread waits for. */
  LITE,
  /** Also the locks that a thread holds. */
  FULL
}

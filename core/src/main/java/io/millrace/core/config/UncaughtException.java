package io.millrace.core.config;

/** What a process does about an exception that ended one of its threads. */
public enum UncaughtException {
  LOG,
  FAIL
}

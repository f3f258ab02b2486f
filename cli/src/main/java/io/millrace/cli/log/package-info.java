/**
 * Logging of the command line and of the processes that it runs. Logback finds {@link
 * io.millrace.cli.log.LogbackConfigurator} through {@code ServiceLoader}.
 */
package io.millrace.cli.log;

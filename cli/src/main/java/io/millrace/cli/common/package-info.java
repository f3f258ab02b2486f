/**
 * Parts of all commands: the {@link io.millrace.cli.common.Console} with the environment and the
 * output streams, exit codes, and the options that several commands share as picocli mixins. It
 * uses no other package of the command line.
 */
package io.millrace.cli.common;

/**
 * What every command uses: the {@link io.millrace.cli.common.Console} that it reads its environment
 * from and prints to, exit codes, and the options that several commands share as picocli mixins. It
 * uses no other package of the command line.
 */
package io.millrace.cli.common;

/** The command that serves archived jobs without a cluster. */
package io.millrace.cli.history;

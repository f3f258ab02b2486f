/**
 * The commands about session clusters of a resource provider. {@link
 * io.millrace.cli.session.SessionCommand} is the entry point. A {@link
 * io.millrace.client.SessionTarget} of a plugin does the work.
 */
package io.millrace.cli.session;

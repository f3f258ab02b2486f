/**
 * The commands about session clusters of a resource provider. {@link
 * io.millrace.cli.session.SessionCommand} is the way in. A {@link
 * io.millrace.client.SessionTarget}, which a plugin may bring, does the work.
 */
package io.millrace.cli.session;

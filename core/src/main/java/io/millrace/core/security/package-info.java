/**
 * Authentication towards external systems and of REST clients. All code of a process runs inside a
 * {@link io.millrace.core.security.SecurityContext}; one with a login comes from the {@link
 * io.millrace.core.security.SecurityModule} of a plugin. {@link
 * io.millrace.core.security.DelegationTokens} gives processes without a login access to a service:
 * a provider obtains tokens in one process, and receivers install them in all processes. {@link
 * io.millrace.core.security.RestToken} authenticates clients of REST. {@link
 * io.millrace.core.security.PrivateFile} stores secrets in files.
 */
package io.millrace.core.security;

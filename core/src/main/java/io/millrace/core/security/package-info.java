/**
 * As whom a process acts towards systems outside of Millrace. Everything a process does runs inside
 * a {@link io.millrace.core.security.SecurityContext}; one with a login comes from a {@link
 * io.millrace.core.security.SecurityModule}, which a plugin offers. {@link
 * io.millrace.core.security.DelegationTokens} lets processes without a login use a service, with
 * what a plugin's provider gets in one process and its receiver takes in all of them. {@link
 * io.millrace.core.security.RestToken} is the other way round: what users of REST present to us.
 * {@link io.millrace.core.security.PrivateFile} is how secrets are kept in files.
 */
package io.millrace.core.security;

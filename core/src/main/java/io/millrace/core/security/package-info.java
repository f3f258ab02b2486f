/**
 * As whom a process acts towards systems outside of Millrace. Everything a process does runs inside
 * a {@link io.millrace.core.security.SecurityContext}; one with a login comes from a {@link
 * io.millrace.core.security.SecurityModule}, which a plugin offers.
 */
package io.millrace.core.security;

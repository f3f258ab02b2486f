/**
 * Decides about delegation tokens: {@link io.millrace.control.token.TokenPlan} says when the token
 * of a service has to be obtained and which worker is sent which tokens. It is pure; the
 * ResourceManager does what it says.
 */
package io.millrace.control.token;

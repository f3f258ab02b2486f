/**
 * Decides about delegation tokens. {@link io.millrace.control.token.TokenPlan} decides when the
 * token of a service is obtained and which tokens are sent to which worker. It is a pure decider;
 * the ResourceManager performs its actions.
 */
package io.millrace.control.token;

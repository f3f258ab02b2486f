/** What user programs compile against. */
package io.millrace.api;

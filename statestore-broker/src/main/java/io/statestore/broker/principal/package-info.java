/**
 * Limits per principal, which all of a principal's connections share. Anonymous clients
 * are exempt.
 */
@NullMarked
package io.statestore.broker.principal;

import org.jspecify.annotations.NullMarked;

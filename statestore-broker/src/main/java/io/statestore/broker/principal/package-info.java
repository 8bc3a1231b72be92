/**
 * Limits of principals, which all connections of a principal share. Anonymous clients
 * have none of them.
 */
@NullMarked
package io.statestore.broker.principal;

import org.jspecify.annotations.NullMarked;

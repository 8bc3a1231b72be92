/**
 * Internal: annotation processing and lifecycle that state store and Dafka listeners
 * share. Not part of the API; may change in any release.
 */
@NullMarked
package io.statestore.listener;

import org.jspecify.annotations.NullMarked;

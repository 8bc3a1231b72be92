/**
 * Internal: annotation processing and lifecycle shared by the listeners of the state
 * store and of Dafka. Not part of the API; it may change in any release.
 */
@NullMarked
package io.statestore.listener;

import org.jspecify.annotations.NullMarked;

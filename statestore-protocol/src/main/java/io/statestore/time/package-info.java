/**
 * The time used by clients and servers, which tests can control.
 */
@NullMarked
package io.statestore.time;

import org.jspecify.annotations.NullMarked;

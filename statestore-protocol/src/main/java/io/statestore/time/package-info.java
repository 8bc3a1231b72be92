/**
 * Time of clients and servers, which tests can control.
 */
@NullMarked
package io.statestore.time;

import org.jspecify.annotations.NullMarked;

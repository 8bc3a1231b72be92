/**
 * Types shared by this module's packages. Not for use by applications.
 */
@NullMarked
package io.statestore.boot.internal;

import org.jspecify.annotations.NullMarked;

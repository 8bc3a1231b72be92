/**
 * Types that packages of this module share. Not for use by applications.
 */
@NullMarked
package io.statestore.boot.internal;

import org.jspecify.annotations.NullMarked;

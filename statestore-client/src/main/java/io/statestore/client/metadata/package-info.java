/**
 * Metadata store for Spring Integration.
 */
@NullMarked
package io.statestore.client.metadata;

import org.jspecify.annotations.NullMarked;

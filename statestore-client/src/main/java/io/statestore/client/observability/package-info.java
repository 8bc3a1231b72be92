/**
 * Micrometer observations of calls and listeners: their documentation, contexts, and
 * conventions, named after the semantic conventions of OpenTelemetry. Not related to
 * {@link io.statestore.client.watch}, which observes keys.
 */
@NullMarked
package io.statestore.client.observability;

import org.jspecify.annotations.NullMarked;

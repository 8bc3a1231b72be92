/**
 * Micrometer observations of calls and listeners: their documentation, contexts, and
 * conventions, which follow OpenTelemetry's semantic conventions.
 */
@NullMarked
package io.statestore.client.observability;

import org.jspecify.annotations.NullMarked;

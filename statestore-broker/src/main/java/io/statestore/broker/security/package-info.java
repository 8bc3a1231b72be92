/**
 * Clients' identities and permissions: authentication of connections, and permissions on
 * topics and keys. {@link io.statestore.broker.security.Authenticator} and
 * {@link io.statestore.broker.security.Authorizer} are the extension points.
 */
@NullMarked
package io.statestore.broker.security;

import org.jspecify.annotations.NullMarked;

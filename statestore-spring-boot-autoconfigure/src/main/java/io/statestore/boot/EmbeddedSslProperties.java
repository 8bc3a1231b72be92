package io.statestore.boot;

import io.statestore.broker.security.ServerTls.ClientAuth;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of TLS of the embedded broker. Separate from {@link StateStoreProperties},
 * because the broker is optional.
 *
 * @param bundle Name of the SSL bundle with the certificate of the embedded broker, and
 * with the certificate authorities of its clients. Encrypts all connections. An update of
 * the bundle applies to new connections. By default the broker uses plain TCP.
 * @param clientAuth Whether clients of the embedded broker need a certificate: 'none',
 * 'want' to accept clients without one, or 'need'. By default 'none'.
 */
@ConfigurationProperties("statestore.embedded.ssl")
public record EmbeddedSslProperties(@Nullable String bundle, @Nullable ClientAuth clientAuth) {

}

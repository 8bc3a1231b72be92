package io.statestore.boot;

import io.statestore.protocol.AdministrationAccess;
import io.statestore.protocol.ProtocolDialect;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the broker embedded in this application, for development and tests.
 * <p>
 * Paths are strings, because Spring would search for a {@code Path} on the class path
 * first.
 *
 * @param enabled Whether to start a broker with a state store in this application, and
 * use it instead of statestore.host and statestore.hosts. Requires
 * io.statestore:statestore-broker.
 * @param host Address that the embedded broker listens on.
 * @param port Port that the embedded broker listens on, 0 for a free one.
 * @param protocolDialect Dialect of the protocol: 'clients' as the official clients
 * expect it, or 'specification' as the published articles describe it, which also accepts
 * requests as the articles show them.
 * @param administration Clients that may send administration requests, such as
 * 'statestore locks' and 'statestore cluster': 'off' for none, 'trusted' for clients that
 * have logged in and clients on this machine, or 'all'.
 * @param rulesFile File with the rules that decide what each client may do. Read again
 * after a change. By default, everything is permitted.
 */
@ConfigurationProperties("statestore.embedded")
public record EmbeddedProperties(boolean enabled, @DefaultValue("localhost") String host, int port,
		@DefaultValue("clients") ProtocolDialect protocolDialect,
		@DefaultValue("trusted") AdministrationAccess administration, @Nullable String rulesFile) {

}

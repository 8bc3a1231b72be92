package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.function.Supplier;

import io.statestore.client.mqtt.link.LinkOptions;
import org.jspecify.annotations.Nullable;

/**
 * Options of a link to one of the hosts of a connection.
 *
 * @param options options of the connection
 * @param address the host
 * @param connectTimeout timeout of the attempt to connect
 */
record HostOptions(ConnectionOptions options, BrokerAddress address, Duration connectTimeout) implements LinkOptions {

	@Override
	public String host() {
		return this.address.host();
	}

	@Override
	public int port() {
		return this.address.port();
	}

	@Override
	public String clientId() {
		return this.options.clientId();
	}

	@Override
	public @Nullable String username() {
		return this.options.username();
	}

	@Override
	public @Nullable Supplier<String> password() {
		return this.options.password();
	}

	@Override
	public @Nullable Supplier<? extends Tls> tls() {
		return this.options.tls();
	}

	@Override
	public @Nullable Authentication authentication() {
		return this.options.authentication();
	}

	@Override
	public Duration keepAlive() {
		return this.options.keepAlive();
	}

}

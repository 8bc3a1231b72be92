package io.statestore.broker.standalone;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.statestore.broker.gateway.GatewayNode;
import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.broker.gateway.StateStoreGatewayBuilder;
import io.statestore.broker.server.StateStoreStatistics;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command that runs a {@link StateStoreGateway} as a process. */
@Command(name = "gateway", description = "State store for an existing MQTT 5 broker. Stop with Ctrl+C.",
		exitCodeList = { "0:stopped by a signal",
				"1:failed to start, or stopped because another gateway serves the broker", "2:invalid option",
				"3:stopped by an error, such as exhausted memory" })
final class StandaloneGateway extends ServingCommand {

	@Parameters(paramLabel = "<broker>", description = "Broker address: mqtt://host:port, or mqtts://host:port for TLS")
	@SuppressWarnings("NullAway.Init")
	private URI broker;

	@Option(names = "--client-id", paramLabel = "<id>", defaultValue = "statestore-gateway",
			description = "MQTT client ID. Must be the same for all gateways of a broker (default: ${DEFAULT-VALUE})")
	private String clientId = "";

	@Option(names = "--user", paramLabel = "<name>",
			description = "User name to log in to the broker with (default: the STATESTORE_USERNAME environment "
					+ "variable, or no login if it is not set)")
	private @Nullable String user;

	@Option(names = "--password-file", paramLabel = "<file>",
			description = "File with the password of --user in its first line (default: the STATESTORE_PASSWORD "
					+ "environment variable contains the password)")
	private @Nullable Path passwordFile;

	@Mixin
	private final ClientTlsOptions certificates = new ClientTlsOptions();

	@Option(names = "--watch-lease", paramLabel = "<seconds>", defaultValue = "600",
			description = "How long after a client's last request its watches end, on brokers that do not report "
					+ "missing subscribers (default: ${DEFAULT-VALUE})")
	private long watchLease;

	@Option(names = "--rules", paramLabel = "<file>",
			description = "File with the rules for which keys all clients may read and write. Reloaded when it changes "
					+ "(default: everything is permitted). All rules must be for everyone, because a gateway cannot "
					+ "verify who sends a request")
	private @Nullable Path rules;

	@Option(names = "--administration",
			description = "Answer administration requests, such as 'statestore locks', from all clients that the "
					+ "broker permits to publish to statestore-administration/v1/request")
	private boolean administration;

	private StandaloneGateway() {
		// The gateway stops without an error or signal if another gateway serves the
		// broker.
		super(FAILED);
	}

	@Override
	ServerProcess start() {
		if (this.node.isEnabled()) {
			GatewayNode gateway = configure().startNode();
			return process(gateway::statistics, gateway::close, gateway.stopped(), gateway::isReady,
					gateway::isServing);
		}
		StateStoreGateway gateway = configure().start();
		return process(gateway::statistics, gateway::close, gateway.stopped(), gateway::isServing, gateway::isServing);
	}

	private ServerProcess process(Supplier<StateStoreStatistics> statistics, Runnable close,
			CompletableFuture<Void> stopped, BooleanSupplier isReady, BooleanSupplier isServing) {
		return new ServerProcess("State Store gateway", statistics, close, stopped, isReady, isServing,
				List.of("State Store gateway " + StandaloneVersion.text() + " serves " + this.broker + ", "
						+ this.data.location()));
	}

	private StateStoreGatewayBuilder configure() {
		boolean tls = "mqtts".equals(this.broker.getScheme());
		if (this.broker.getHost() == null || !(tls || "mqtt".equals(this.broker.getScheme()))) {
			throw new IllegalArgumentException(
					"The broker is '" + this.broker + "'; valid is mqtt://host:port or mqtts://host:port");
		}
		int defaultPort = tls ? 8883 : 1883;
		StateStoreGatewayBuilder builder = StateStoreGateway.builder()
			.host(this.broker.getHost())
			.port((this.broker.getPort() >= 0) ? this.broker.getPort() : defaultPort)
			.clientId(this.clientId)
			.administration(this.administration)
			.watchLease(Duration.ofSeconds(this.watchLease))
			.protocolDialect(this.protocolDialect)
			.limits(this.limits::apply);
		if (tls) {
			builder.tls(this.certificates.files());
		}
		else {
			this.certificates.refuse("%1$s requires TLS, but the broker is '"
					+ this.broker.toString().replace("%", "%%") + "'; use mqtts://, or omit %1$s");
		}
		this.node.apply(this.data, builder::storage, builder::cluster);
		this.ready.verify();
		Passwords.login(this.user, this.passwordFile, builder::login);
		return LimitOptions.with(builder, this.rules, StateStoreGatewayBuilder::rules);
	}

}

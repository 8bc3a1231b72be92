package io.statestore.broker.standalone;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.cluster.AdvertisedAddress;
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.Leadership;
import io.statestore.protocol.AdministrationAccess;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command that runs a {@link StateStoreBroker} as a process. */
@Command(name = "java -jar statestore-server-exec.jar",
		description = "MQTT 5 broker with a state store. Stop with Ctrl+C.",
		subcommands = { StandaloneGateway.class, CheckCommand.class, BackupCommand.class, RestoreCommand.class,
				HealthCommand.class, CheckRulesCommand.class, CertsCommand.class, PasswdCommand.class },
		exitCodeList = { "0:stopped by a signal", "1:failed to start", "2:invalid option",
				"3:stopped by an error, such as exhausted memory" })
public final class StandaloneBroker extends ServingCommand {

	/** System property that controls whether Netty reports events to Flight Recorder. */
	private static final String NETTY_EVENTS = "io.netty.jfr.enabled";

	private static final int PORT = 1883;

	private static final int TLS_PORT = 8883;

	@Option(names = "--host", paramLabel = "<host>", defaultValue = "localhost",
			description = "Host or address to listen on, or 0.0.0.0 for all addresses (default: ${DEFAULT-VALUE})")
	private String host = "";

	@Option(names = "--port", paramLabel = "<port>",
			description = "TCP port to listen on, or 0 for any free port (default: 1883, or 8883 with --tls-cert)")
	private @Nullable Integer port;

	@Mixin
	private final LoginOptions login = new LoginOptions();

	@Option(names = "--rules", paramLabel = "<file>",
			description = "File with the rules for what each client is permitted to do. Reloaded when it changes "
					+ "(default: everything is permitted). The check-rules command explains the rules' decisions")
	private @Nullable Path rules;

	@Mixin
	private final TlsOptions tls = new TlsOptions();

	@Option(names = "--advertise", paramLabel = "<host[:port]>",
			description = "Address where clients connect to this node. When this node becomes the leader, clients of "
					+ "other nodes move to it if they list this address among their hosts (default: this node's host "
					+ "in --peers, and the port that it listens on for clients)")
	private @Nullable String advertise;

	@Mixin
	private final PrincipalOptions principalLimits = new PrincipalOptions();

	@Option(names = "--max-packet-size", paramLabel = "<size>", converter = SizeConverter.class,
			description = "Maximum size of an MQTT packet (default: 16M, or --memory-per-client if that is less)")
	private @Nullable Long maxPacketSize;

	@Option(names = "--max-connect-size", paramLabel = "<size>", converter = SizeConverter.class,
			description = "Maximum size of a CONNECT packet (default: 64K)")
	private @Nullable Long maxConnectSize;

	@Option(names = "--max-properties-size", paramLabel = "<size>", converter = SizeConverter.class,
			description = "Maximum size of a packet's properties (default: 64K)")
	private @Nullable Long maxPropertiesSize;

	@Option(names = "--max-connections-per-address", paramLabel = "<number>",
			description = "Maximum number of connections per address. A sixteenth of them, at least 16, can still lack "
					+ "a complete CONNECT packet (default: 4096)")
	private @Nullable Integer maxConnectionsPerAddress;

	@Option(names = "--max-session-expiry", paramLabel = "<time>", converter = DurationConverter.class,
			description = "How long an MQTT session can outlive its connection, such as 12h or 30d (default: no "
					+ "maximum)")
	private @Nullable Duration maxSessionExpiry;

	@Option(names = "--administration", paramLabel = "<clients>", defaultValue = "TRUSTED",
			description = "Which clients may send administration requests, such as 'statestore locks': off for none, "
					+ "trusted for those on this machine or logged in, or all (default: ${DEFAULT-VALUE})")
	private AdministrationAccess administration = AdministrationAccess.TRUSTED;

	private StandaloneBroker() {
		super(0);
	}

	/**
	 * Runs the command until the process is stopped.
	 * @param arguments command-line options, see {@code --help}
	 */
	public static void main(String[] arguments) {
		ConsoleLogging.enable();
		if (System.getProperty(NETTY_EVENTS) == null) {
			// Registering the events takes a tenth of the time until the first reply.
			System.setProperty(NETTY_EVENTS, "false");
		}
		CommandLine commandLine = commandLine();
		int exitCode = FAILED;
		try {
			exitCode = commandLine.execute(arguments);
		}
		catch (Error ex) {
			// If memory is exhausted, not even the first error's stack trace can be
			// printed.
			System.err.println(ex);
		}
		finally {
			if (exitCode != 0 || commandLine.isUsageHelpRequested() || commandLine.isVersionHelpRequested()) {
				System.exit(exitCode);
			}
		}
	}

	static CommandLine commandLine() {
		return new CommandLine(new StandaloneBroker()).setCaseInsensitiveEnumValuesAllowed(true);
	}

	@Override
	ServerProcess start() {
		StateStoreBroker broker = configure().start();
		List<String> messages = List.of("State Store broker " + StandaloneVersion.text() + " listens on "
				+ (this.tls.isEnabled() ? "mqtts" : "mqtt") + "://" + broker.host() + ':' + broker.port() + ", "
				+ this.data.location(), "Clients that may connect: " + broker.access());
		return new ServerProcess("State Store broker", broker::statistics, broker::close, broker.stopped(),
				broker::isReady, () -> broker.isReady() && broker.leadership().map(Leadership::leading).orElse(true),
				messages);
	}

	private int defaultPort() {
		return this.tls.isEnabled() ? TLS_PORT : PORT;
	}

	StateStoreBrokerBuilder configure() {
		StateStoreBrokerBuilder builder = StateStoreBroker.builder()
			.host(this.host)
			.port((this.port != null) ? this.port : defaultPort())
			.administration(this.administration)
			.protocolDialect(this.protocolDialect)
			.limits(this.limits::apply)
			.principalLimits(this.principalLimits::apply);
		LimitOptions.with(builder, this.maxPacketSize, StateStoreBrokerBuilder::maxPacketSize);
		LimitOptions.with(builder, this.maxConnectSize, StateStoreBrokerBuilder::maxConnectSize);
		LimitOptions.with(builder, this.maxPropertiesSize, StateStoreBrokerBuilder::maxPropertiesSize);
		LimitOptions.with(builder, this.maxConnectionsPerAddress, StateStoreBrokerBuilder::maxConnectionsPerAddress);
		LimitOptions.with(builder, this.maxSessionExpiry, StateStoreBrokerBuilder::maxSessionExpiry);
		this.tls.apply(builder::tls);
		this.node.verify("--advertise", this.advertise);
		this.node.apply(this.data, builder::storage, (options) -> builder.cluster(advertised(options)));
		this.ready.verify();
		this.login.apply(builder, this.tls.requestsCertificates());
		return LimitOptions.with(builder, this.rules, StateStoreBrokerBuilder::rules);
	}

	private ClusterOptions advertised(ClusterOptions options) {
		return (this.advertise != null) ? options.withAdvertised(AdvertisedAddress.parse(this.advertise)) : options;
	}

}

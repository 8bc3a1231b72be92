package io.statestore.broker.standalone;

import java.nio.file.Path;
import java.util.concurrent.Callable;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.protocol.WireForm;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Starts a {@link StateStoreBroker} from the command line. */
@Command(name = "statestore-broker", mixinStandardHelpOptions = true, sortOptions = false,
		versionProvider = StandaloneBroker.Version.class, usageHelpAutoWidth = true,
		description = "A state store inside an MQTT 5 broker. Holds everything in memory. Stop it with Ctrl+C.",
		subcommands = StandaloneGateway.class, exitCodeListHeading = "%nExit codes:%n",
		exitCodeList = { "1:it could not be started", "2:an option is wrong",
				"3:an error stopped it, such as exhausted memory" })
public final class StandaloneBroker implements Callable<Integer> {

	private static final String LOGGING = "logback.configurationFile";

	@Spec
	@SuppressWarnings("NullAway.Init")
	private CommandSpec spec;

	@Option(names = "--host", paramLabel = "<host>", defaultValue = "localhost",
			description = "Host to listen on, 0.0.0.0 for all addresses (default: ${DEFAULT-VALUE})")
	private String host = "";

	@Option(names = "--port", paramLabel = "<port>", defaultValue = "1883",
			description = "TCP port to listen on, 0 for a free one (default: ${DEFAULT-VALUE})")
	private int port;

	@Option(names = "--user", paramLabel = "<name>", description = "Let in only clients with this user name")
	private @Nullable String user;

	@Option(names = "--password-file", paramLabel = "<file>",
			description = "File whose first line is the password that goes with --user")
	private @Nullable Path passwordFile;

	@Option(names = "--max-keys", paramLabel = "<number>",
			description = "Maximum number of keys (default: one per 2 KiB of the JVM's maximum heap)")
	private @Nullable Long maxKeys;

	@Option(names = "--max-bytes", paramLabel = "<bytes>",
			description = "Maximum size of all keys and values in bytes (default: a quarter of the JVM's maximum heap)")
	private @Nullable Long maxBytes;

	@Option(names = "--client-memory", paramLabel = "<bytes>",
			description = "Memory that all clients together may hold (default: a quarter of the JVM's maximum heap)")
	private @Nullable Long clientMemory;

	@Option(names = "--memory-per-client", paramLabel = "<bytes>",
			description = "Memory that one client may hold (default: a quarter of --client-memory)")
	private @Nullable Long memoryPerClient;

	@Option(names = "--max-packet-size", paramLabel = "<bytes>",
			description = "Largest MQTT packet to accept (default: 16777216)")
	private @Nullable Integer maxPacketSize;

	@Option(names = "--max-connect-size", paramLabel = "<bytes>",
			description = "Largest CONNECT to accept (default: 65536)")
	private @Nullable Integer maxConnectSize;

	@Option(names = "--max-properties-size", paramLabel = "<bytes>",
			description = "Largest total of the properties of one packet (default: 65536)")
	private @Nullable Integer maxPropertiesSize;

	@Option(names = "--wire-form", paramLabel = "<form>", defaultValue = "PRACTICE",
			description = "${COMPLETION-CANDIDATES}: what official clients expect, or the letter of the published "
					+ "articles (default: ${DEFAULT-VALUE})")
	private WireForm wireForm = WireForm.PRACTICE;

	private StandaloneBroker() {
	}

	/** Runs until the process is told to stop. */
	public static void main(String[] arguments) {
		if (System.getProperty(LOGGING) == null) {
			System.setProperty(LOGGING, "io/statestore/broker/standalone/logback.xml");
		}
		CommandLine commandLine = new CommandLine(new StandaloneBroker()).setCaseInsensitiveEnumValuesAllowed(true);
		int exitCode = commandLine.execute(arguments);
		if (exitCode != 0 || commandLine.isUsageHelpRequested() || commandLine.isVersionHelpRequested()) {
			System.exit(exitCode);
		}
	}

	@Override
	public Integer call() {
		StateStoreBrokerBuilder builder = configure();
		StateStoreBroker broker;
		try {
			broker = builder.start();
		}
		catch (IllegalArgumentException ex) {
			throw new ParameterException(this.spec.commandLine(), ex.getMessage(), ex);
		}
		catch (IllegalStateException ex) {
			this.spec.commandLine().getErr().println(ex.getMessage());
			return 1;
		}
		Logger logger = LoggerFactory.getLogger(StandaloneBroker.class);
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			broker.close();
			logger.info("State Store broker stopped");
		}, "statestore-shutdown"));
		logger.info("State Store broker {} listens on mqtt://{}:{}", Version.text(), broker.host(), broker.port());
		return StandaloneExit.await(broker.stopped(), 0);
	}

	private StateStoreBrokerBuilder configure() {
		try {
			StateStoreBrokerBuilder builder = StateStoreBroker.builder()
				.host(this.host)
				.port(this.port)
				.wireForm(this.wireForm);
			if (this.maxKeys != null) {
				builder.maxKeys(this.maxKeys);
			}
			if (this.maxBytes != null) {
				builder.maxBytes(this.maxBytes);
			}
			if (this.clientMemory != null) {
				builder.clientMemory(this.clientMemory);
			}
			if (this.memoryPerClient != null) {
				builder.memoryPerClient(this.memoryPerClient);
			}
			if (this.maxPacketSize != null) {
				builder.maxPacketSize(this.maxPacketSize);
			}
			if (this.maxConnectSize != null) {
				builder.maxConnectSize(this.maxConnectSize);
			}
			if (this.maxPropertiesSize != null) {
				builder.maxPropertiesSize(this.maxPropertiesSize);
			}
			Passwords.login(this.user, this.passwordFile, builder::account);
			return builder;
		}
		catch (IllegalArgumentException ex) {
			throw new ParameterException(this.spec.commandLine(), ex.getMessage(), ex);
		}
	}

	/** The version that the build wrote into the manifest. */
	static final class Version implements IVersionProvider {

		static String text() {
			String version = StateStoreBroker.class.getPackage().getImplementationVersion();
			return (version != null) ? version : "(version unknown)";
		}

		@Override
		public String[] getVersion() {
			return new String[] { "State Store broker " + text() };
		}

	}

}

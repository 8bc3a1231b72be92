package io.statestore.dafka.cli;

import java.util.List;
import java.util.concurrent.Callable;

import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.tower.Tower;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code dafka tower}: runs a tower. */
@Command(name = "tower", mixinStandardHelpOptions = true, sortOptions = false, versionProvider = ManifestVersion.class,
		description = "Lets nodes find each other. Stop it with Ctrl+C.")
final class TowerCommand implements Callable<Integer> {

	@Option(names = "--port", paramLabel = "<port>", defaultValue = "5556", converter = Converters.OfPort.class,
			description = "Port that receives beacons from nodes, 0 for a free one (default: ${DEFAULT-VALUE})")
	private int port;

	@Option(names = "--pub-port", paramLabel = "<port>", converter = Converters.OfPort.class,
			description = "Port that sends beacons to nodes, 0 for a free one (default: --port plus 1)")
	private @Nullable Integer pubPort;

	@Option(names = "--bind", paramLabel = "<host>", defaultValue = "*", converter = Converters.OfHost.class,
			description = "Address to listen on (default: all)")
	private String bind = "";

	@Option(names = "--advertised-host", paramLabel = "<host>", converter = Converters.OfHost.class,
			description = "Host announced for nodes on this machine (default: its first address)")
	private @Nullable String advertisedHost;

	@Mixin
	private CurveArguments curve = new CurveArguments();

	@Mixin
	private Messages messages = new Messages();

	private TowerCommand() {
	}

	@Override
	public Integer call() {
		Tower.Builder builder = Tower.builder()
			.bindHost(this.bind)
			.inPort(this.port)
			.outPort(pubPort())
			.curve(this.curve.options(List.of(CurveOptions.DEFAULT_TOWER)));
		if (this.advertisedHost != null) {
			builder.advertisedHost(this.advertisedHost);
		}
		try (Stop stop = Stop.onSignals(); Tower tower = builder.start()) {
			this.messages.info("Tower is listening; start nodes on this machine with --tower %s:%d:%d",
					tower.address().host(), tower.address().inPort(), tower.address().outPort());
			return stop.awaitEnd("tower", tower::failure, this.messages);
		}
	}

	private int pubPort() {
		if (this.pubPort != null) {
			return this.pubPort;
		}
		return (this.port == 0 || this.port == 65_535) ? 0 : this.port + 1;
	}

}

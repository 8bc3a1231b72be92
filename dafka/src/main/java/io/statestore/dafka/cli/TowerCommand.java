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
@Command(name = "tower", description = "Lets nodes find each other. Stop with Ctrl+C.")
final class TowerCommand implements Callable<Integer> {

	@Option(names = "--port", paramLabel = "<port>", defaultValue = "5556",
			description = "Port that receives beacons from nodes, or 0 for any free port (default: ${DEFAULT-VALUE})")
	private int port;

	@Option(names = "--pub-port", paramLabel = "<port>",
			description = "Port that sends beacons to nodes, or 0 for any free port (default: --port plus 1)")
	private @Nullable Integer pubPort;

	@Mixin
	private ListenArguments listen = new ListenArguments();

	@Mixin
	private Messages messages = new Messages();

	private TowerCommand() {
	}

	@Override
	public Integer call() {
		Tower.Builder builder = Tower.builder()
			.bindHost(this.listen.bind)
			.inPort(this.port)
			.outPort(pubPort())
			.curve(this.listen.curve(List.of(CurveOptions.DEFAULT_TOWER)));
		if (this.listen.advertisedHost != null) {
			builder.advertisedHost(this.listen.advertisedHost);
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

package io.statestore.dafka.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TowerAddress;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command-line options for the addresses of a node and its towers. */
final class NodeArguments {

	@Option(names = "--tower", paramLabel = "<host[:port[:pub-port]]>", defaultValue = "127.0.0.1",
			description = "Tower address; repeatable. The port defaults to 5556, and pub-port to port plus 1 (default: "
					+ "${DEFAULT-VALUE})")
	private List<TowerAddress> towers = new ArrayList<>();

	@Option(names = "--port", paramLabel = "<port>", defaultValue = "0",
			description = "Port to listen on (default: any free port)")
	private int port;

	@Option(names = "--curve-tower", paramLabel = "<name>", defaultValue = CurveOptions.DEFAULT_TOWER,
			description = "The tower's name in the list of peers. Repeat it for each tower, or use one name for all "
					+ "towers (default: ${DEFAULT-VALUE})")
	private List<String> curveTowers = new ArrayList<>();

	@Mixin
	private ListenArguments listen = new ListenArguments();

	NodeOptions options() {
		NodeOptions.Builder builder = NodeOptions.builder()
			.bindHost(this.listen.bind)
			.bindPort(this.port)
			.curve(this.listen.curve(this.curveTowers));
		if (this.listen.advertisedHost != null) {
			builder.advertisedHost(this.listen.advertisedHost);
		}
		this.towers.forEach(builder::tower);
		return builder.build();
	}

	/** Returns the addresses of the towers, for messages. */
	String towers() {
		return this.towers.stream()
			.map((tower) -> tower.host() + ':' + tower.inPort() + ':' + tower.outPort())
			.collect(Collectors.joining(", "));
	}

}

package io.statestore.cli;

import java.time.Duration;
import java.util.List;

import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.ClusterNodeState.Role;
import io.statestore.protocol.ClusterRequest;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that changes a cluster, and then shows its nodes. */
abstract class ClusterChangeCommand extends StoreCommand {

	@Option(names = "--wait", paramLabel = "<time>", defaultValue = "60s", converter = DurationConverter.class,
			description = "Maximum wait until the change is made (default: ${DEFAULT-VALUE})")
	private Duration wait = Duration.ofSeconds(60);

	@Mixin
	private final OutputOptions output = new OutputOptions();

	@Override
	final int run(Session session) throws InterruptedException {
		ClusterStatusCommand.print(this.output, new ClusterClient(session).change(request(), this::isMade, this.wait));
		String next = nextStep();
		if (!next.isEmpty()) {
			message(next);
		}
		return ExitCodes.OK;
	}

	/** Returns the request. */
	abstract ClusterRequest request();

	/** Returns whether the nodes show that the change was made. */
	abstract boolean isMade(List<ClusterNodeState> nodes);

	/** Returns what to do after the change, empty for nothing. */
	String nextStep() {
		return "";
	}

	/** Returns whether a node is a member that runs. */
	static boolean runs(List<ClusterNodeState> nodes, String node) {
		return nodes.stream()
			.anyMatch(
					(state) -> state.isMeantBy(node) && (state.role() == Role.LEADER || state.role() == Role.FOLLOWER));
	}

}

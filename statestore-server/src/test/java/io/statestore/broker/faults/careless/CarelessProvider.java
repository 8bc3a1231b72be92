package io.statestore.broker.faults.careless;

import io.statestore.broker.cluster.ClusterNode;
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.ClusterProvider;
import io.statestore.broker.cluster.NodeEvents;
import io.statestore.broker.cluster.StreamTarget;
import io.statestore.broker.server.Replica;
import io.statestore.broker.server.ReplicatedLog;
import io.statestore.cluster.RaftProvider;
import org.jspecify.annotations.Nullable;

/** Consensus that does not confirm reads. */
public final class CarelessProvider implements ClusterProvider {

	@Override
	public ClusterNode start(ClusterOptions options, Replica replica, NodeEvents events) {
		return new RaftProvider().start(options, replica, new CarelessEvents(events));
	}

	private record CarelessEvents(NodeEvents events) implements NodeEvents {

		@Override
		public void leading(ReplicatedLog log) {
			this.events.leading(new CarelessLog(log));
		}

		@Override
		public void following() {
			this.events.following();
		}

		@Override
		public void failed(Throwable failure) {
			this.events.failed(failure);
		}

		@Override
		public @Nullable StreamTarget streamTarget() {
			return this.events.streamTarget();
		}

	}

}

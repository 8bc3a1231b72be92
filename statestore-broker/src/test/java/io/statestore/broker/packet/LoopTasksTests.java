package io.statestore.broker.packet;

import java.util.ArrayList;
import java.util.List;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LoopTasksTests {

	@Test
	void continuesAndFlushesAfterFailedTask() {
		List<String> done = new ArrayList<>();
		LoopTasks tasks = new LoopTasks(new EmbeddedChannel().eventLoop(), false, () -> done.add("flush"),
				(error) -> done.add(error.getMessage()));
		tasks.execute(() -> {
			throw new IllegalStateException("on purpose");
		});
		assertThat(done).containsExactly("flush");
	}

}

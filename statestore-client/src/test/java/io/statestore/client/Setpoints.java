package io.statestore.client;

import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import org.springframework.stereotype.Component;

@Component
class Setpoints {

	private final FencedLock lock;

	Setpoints(StateStoreLockRegistry registry) {
		this.lock = registry.obtain("press-1");
	}

	void change(int value) throws InterruptedException {
		this.lock.execute((held) -> held.operations().set("press-1/setpoint", value));
	}

}

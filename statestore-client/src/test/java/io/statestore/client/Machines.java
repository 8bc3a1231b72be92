package io.statestore.client;

import java.util.Optional;

import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.lock.annotation.Locked;
import org.springframework.stereotype.Component;

@Component
class Machines {

	private final StateStoreLockRegistry locks;

	Machines(StateStoreLockRegistry locks) {
		this.locks = locks;
	}

	@Locked("machine-#{#id}")
	void count(String id) {
		this.locks.currentLock()
			.update("machines/" + id + "/count", Integer.class, (value) -> Optional.of(value.orElse(0) + 1));
	}

}

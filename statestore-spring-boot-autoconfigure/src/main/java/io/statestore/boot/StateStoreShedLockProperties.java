package io.statestore.boot;

import org.springframework.boot.context.properties.ConfigurationProperties;

/** Properties of the ShedLock locks in the state store. */
@ConfigurationProperties("statestore.shedlock")
public class StateStoreShedLockProperties {

	/**
	 * Whether to renew the lock of a task while the task runs. 'lockAtMostFor' is then
	 * the time after which the task may run elsewhere if this application dies.
	 */
	private boolean keepAlive;

	public boolean isKeepAlive() {
		return this.keepAlive;
	}

	public void setKeepAlive(boolean keepAlive) {
		this.keepAlive = keepAlive;
	}

}

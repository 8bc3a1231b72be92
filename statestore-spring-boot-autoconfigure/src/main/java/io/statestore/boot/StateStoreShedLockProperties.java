package io.statestore.boot;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties for ShedLock locks in the state store.
 *
 * @param keepAlive Whether to renew the lock of a task while the task runs.
 * 'lockAtMostFor' is then the time after which the task may run elsewhere if this
 * application dies.
 */
@ConfigurationProperties("statestore.shedlock")
record StateStoreShedLockProperties(boolean keepAlive) {

}

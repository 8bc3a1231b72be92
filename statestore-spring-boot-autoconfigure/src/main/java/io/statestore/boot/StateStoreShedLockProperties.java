package io.statestore.boot;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties for ShedLock locks in the state store.
 *
 * @param keepAlive Whether to renew a task's lock while the task runs. If this
 * application dies, the task can run elsewhere after 'lockAtMostFor'.
 */
@ConfigurationProperties("statestore.shedlock")
record StateStoreShedLockProperties(boolean keepAlive) {

}

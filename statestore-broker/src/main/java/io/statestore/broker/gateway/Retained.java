package io.statestore.broker.gateway;

import java.util.Map;

/**
 * An earlier gateway's state, as retained by the broker.
 *
 * @param writable whether the broker retains the gateway's messages
 * @param reportsAbsence whether the broker reports messages without a subscriber
 * @param status contents of the {@link GatewayStatus} message
 * @param pages watches by page number
 */
record Retained(boolean writable, boolean reportsAbsence, GatewayStatus.Contents status,
		Map<Integer, WatcherPage> pages) {
}

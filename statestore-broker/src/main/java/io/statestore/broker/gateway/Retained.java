package io.statestore.broker.gateway;

import java.util.Map;

/**
 * State of an earlier gateway, as the broker has retained it.
 *
 * @param writable whether the broker retains messages of the gateway
 * @param reportsAbsence whether the broker reports messages without a subscriber
 * @param status contents of the status message
 * @param pages watches by page number
 */
record Retained(boolean writable, boolean reportsAbsence, GatewayStatus.Contents status,
		Map<Integer, WatcherPage> pages) {
}

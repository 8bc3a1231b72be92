package io.statestore.broker.conformance;

/**
 * Tests for all rules of the state store protocol that a client can observe, grouped as
 * in docs/protocol.md. A test class starts one server; each test uses new connections and
 * keys.
 * <p>
 * Subclasses provide the server.
 */
abstract class StateStoreConformance extends ServerConformance implements TransportRules, RepetitionRules, CommandRules,
		SyntaxRules, ProtocolDialectRules, ScanRules, VersionRules, FencingRules, NotificationRules, WatchRules {

}

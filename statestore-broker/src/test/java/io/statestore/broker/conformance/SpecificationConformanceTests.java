package io.statestore.broker.conformance;

import io.statestore.protocol.ProtocolDialect;

/** The embedded broker with the dialect of the published articles. */
class SpecificationConformanceTests extends EmbeddedBrokerConformanceTests {

	@Override
	ProtocolDialect protocolDialect() {
		return ProtocolDialect.SPECIFICATION;
	}

}

package io.statestore.testing.boot.slice;

import org.springframework.stereotype.Service;

/** Component that a test of the state store does not contain. */
@Service
class UnrelatedService {

}

// swift-jsonrpc · SPDX-License-Identifier: MIT

#if DateFormatterSupport
    public import Foundation

    extension WireJSONDecoder.DateDecodingStrategy {
        /// As a formatter reads them. The formatter must not be changed any more.
        ///
        /// With the package trait `DateFormatterSupport` only.
        public static func formatted(_ formatter: DateFormatter) -> Self {
            .custom { decoder in
                let container = try decoder.singleValueContainer()
                guard let date = formatter.date(from: try container.decode(String.self)) else {
                    throw DecodingError.dataCorruptedError(
                        in: container, debugDescription: "The date is not in the form which the formatter expects.")
                }
                return date
            }
        }
    }

    extension WireJSONEncoder.DateEncodingStrategy {
        /// As a formatter writes them. The formatter must not be changed any more.
        ///
        /// With the package trait `DateFormatterSupport` only.
        public static func formatted(_ formatter: DateFormatter) -> Self {
            .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(formatter.string(from: date))
            }
        }
    }
#endif
